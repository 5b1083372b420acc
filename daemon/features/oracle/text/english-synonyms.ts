/** One group per line; see Synonyms. */
export const ENGLISH_SYNONYMS = `
lawyer attorney solicitor counsel legal law advocate
contract agreement deal covenant
lawsuit litigation dispute trial case court
invoice bill billing receipt
pay payment payout settle remit
tax taxes taxation fiscal
bookkeeping accounting ledger accounts
salary wage wages payroll pay earnings
money cash funds finance financial
loan credit mortgage lending borrow debt
insurance coverage policy underwriting
bank banking lender
stock stocks shares equities securities portfolio investment investing
currency forex exchange
cryptocurrency crypto coin token blockchain onchain
price cost fee rate quote tariff
cheap affordable budget inexpensive bargain discount
buy purchase procure acquire order shopping
sell sale sales vend
shop store retail merchant ecommerce
customer client buyer consumer shopper
supplier vendor provider seller
doctor physician clinician medic gp
doctor medical clinical health
hospital clinic ward
illness disease sickness condition ailment disorder
medicine drug medication pharmaceutical prescription pill
patient sufferer
teeth tooth dental dentist
eye vision sight ophthalmology
heart cardiac cardiology cardiovascular
skin dermatology rash
therapy therapist counselling psychotherapy mental psychological
symptom symptoms complaint diagnosis triage
x-ray scan radiology imaging mri
nutrition diet dietary eating meal
recipe cooking cook dish cuisine culinary
food meal grocery groceries
restaurant dining eatery
wine beverage drink
exercise workout fitness training gym
sport sports athletic
football soccer
flight flights airline airfare plane aviation aircraft
airplane aeroplane aircraft plane
hotel accommodation lodging stay
trip travel journey vacation holiday itinerary tour
luggage baggage suitcase
tourist traveller visitor sightseeing
visa passport immigration
train rail railway
car vehicle automobile auto automotive motor
truck lorry freight haulage
bike bicycle cycling
ship vessel boat maritime marine
parcel package shipment delivery courier consignment
shipping freight cargo logistics transport
warehouse storage depot inventory stock
route routing directions navigation path
map maps geographic cartography geospatial
traffic congestion
house home property apartment flat dwelling residential
rent rental lease tenancy tenant letting
landlord owner lessor
estate property realty
furniture interior decor furnishing decoration
building construction builder contractor
architect blueprint floorplan
plumbing plumber pipe
electricity power energy electric grid
solar photovoltaic renewable
heating hvac thermostat
farm farming agriculture crop crops agricultural
plant plants garden gardening horticulture
soil land ground
harvest yield
weather forecast climate meteorological
rain rainfall precipitation
storm hurricane cyclone
earthquake seismic
teacher tutor instructor educator
student pupil learner
school education class classroom
lesson course curriculum
exam test quiz assessment
homework assignment exercise
learn study teach training education
math maths mathematics arithmetic algebra
language tongue linguistic
translate translation interpret localise localization
write writing compose draft author
text copy wording prose
essay article paper
summary summarise summarize abstract digest condense shorten brief
rewrite rephrase paraphrase reword
proofread grammar spelling copyedit
poem poetry verse lyrics
story tale narrative fiction novel
book books literature novel
letter mail correspondence
email mail inbox message
chat conversation dialogue messaging
speech voice spoken audio talk
transcribe transcription dictation captions subtitles
subtitles captions
podcast episode broadcast radio
music song tune melody audio
singer vocal singing
sound noise audio acoustic
picture image photo photograph illustration
painting drawing artwork art sketch
photo photography camera
logo brand branding emblem
design designer layout
colour color palette
font typography typeface
video film movie clip footage
animation animate cartoon
game gaming player videogame
news headline press journalism
website site web webpage page
blog post article
search find lookup retrieve discover
scrape scraping crawl crawler extract harvest
extract parse pull
spreadsheet excel table workbook
chart graph plot visualisation visualization
data dataset records
database sql query
clean cleanse cleaning dedupe deduplicate scrub tidy
merge combine consolidate join
convert conversion transform format
compress shrink reduce
document paper file pdf
scan ocr digitise digitize
form questionnaire survey
survey poll questionnaire feedback
code source program software script
programmer developer coder engineer
bug defect error fault flaw
debug troubleshoot diagnose fix repair
fix repair mend
review audit inspect examine check assess
test testing qa verification
deploy deployment release rollout ship
server host hosting machine
cloud hosting infrastructure
monitor monitoring watch observe surveillance track
alert notify warn notification alarm
log logs trace
outage downtime incident failure
backup restore recovery
security secure protection safety
hack hacker intrusion attack breach exploit
vulnerability weakness cve flaw
password credential login passphrase
virus malware trojan ransomware
phishing scam fraud spoof
fraud scam deception fraudulent
encrypt encryption cipher cryptography
privacy gdpr confidential personal
compliance regulation regulatory rules
spam junk unsolicited
network networking connectivity
phone telephone mobile cell smartphone
call calls calling dial
marketing advertising promotion campaign
advert ad ads advertisement commercial
seo ranking keyword
audience followers readers
social instagram twitter tiktok
influencer creator
slogan tagline headline
email newsletter mailing
lead prospect
hiring recruit recruitment hire recruiting
candidate applicant jobseeker
resume cv curriculum
job jobs vacancy position employment career
interview interviewing
employee staff worker personnel workforce
manager boss supervisor
meeting appointment call
schedule calendar booking appointment timetable plan
book booking reserve reservation
remind reminder
task todo chore
project undertaking
plan planning schedule
company business firm enterprise corporation
startup venture founder
report briefing summary
research study investigate investigation
science scientific scientist
chemistry chemical molecule compound
drug compound molecule
biology biological organism
gene genetic genome genomic dna
protein peptide amino
lab laboratory
physics physical
space astronomy orbital satellite star
star stars telescope astronomy
statistics statistical stats
predict forecast prediction projection estimate
estimate appraisal valuation evaluate
value worth valuation appraisal
anomaly outlier abnormal unusual
detect detection spot identify recognise recognize
classify categorise categorize label sort tag
recommend recommendation suggest suggestion
compare comparison versus
rank ranking rate rating
opinion sentiment feeling mood
emotion feeling mood
review reviews testimonial rating
complaint grievance
support helpdesk assistance
question query faq
answer reply respond response
explain explanation clarify
robot robotic automation
automate automation workflow
machine equipment machinery
factory manufacturing plant production
part component spare
quality inspection defect
maintenance upkeep servicing
sensor telemetry iot device
camera surveillance cctv
drone uav quadcopter
pet pets animal dog cat
dog puppy canine
cat kitten feline
vet veterinary veterinarian
baby infant newborn toddler
child children kid kids
parent parents mother father
wedding marriage bridal
gift present
party event celebration
event concert gig show
ticket tickets admission
clothes clothing garment apparel outfit fashion wear
shoe shoes footwear sneakers
jewelry jewellery ring necklace
beauty makeup cosmetics
hair hairstyle haircut
name naming title
domain hostname url
government public authority municipal council
law legislation statute act
election vote voting ballot
police crime criminal
permit licence license authorisation
patent invention intellectual
trademark brand
copyright plagiarism
donation charity nonprofit fundraising
religion church faith
history historical archive
museum gallery exhibition
genealogy ancestry family
water hydrology flood
waste recycling rubbish garbage trash
pollution emission emissions carbon
environment environmental ecology green sustainable
fire wildfire blaze
emergency rescue disaster
danger risk hazard threat
old elderly senior aged
disabled accessibility accessible disability
blind screenreader
quick fast rapid instant speedy
big large huge
small little tiny
new fresh latest
begin start launch
stop end halt cancel terminate
remove delete erase strip
change modify alter edit amend
improve enhance upgrade optimise optimize
increase boost grow raise
create make generate produce build craft
show display present
send deliver dispatch
keep store retain save
join connect link
split divide separate cut
match pair
count measure quantify
guess estimate predict
dollar euro pound yen franc currency money exchange
bitcoin ethereum crypto cryptocurrency coin
wheat corn maize barley oats rice soy grain crop
tomato potato onion carrot cabbage lettuce vegetable crop plant
apple orange banana grape berry fruit
chicken beef pork fish meat meal dish
bread cake pastry dough baking
milk cheese butter cream dairy
breakfast lunch dinner supper meal restaurant
fridge pantry leftovers kitchen cooking
wheat gluten flour allergen
peanut peanuts nut nuts allergen allergy
eat eating ate food meal
thirsty drink beverage
hungry food meal
headache fever cough nausea dizziness pain symptom
ache hurt hurts sore pain injury
ankle knee shoulder elbow wrist joint injury sprain
tired sleepy insomnia awake asleep sleep bed
night bedtime sleep
nervous anxious stressed worried stress anxiety calm
relax calm meditation mindfulness
sad depressed mood mental
optimistic pessimistic bullish bearish mood sentiment
tablet tablets pill pills capsule medication
nurse doctor caregiver clinic
daughter son kid child children
wife husband spouse partner family
grandmother grandfather grandparent senior elderly
suitcase bag baggage luggage
airport plane flight airline
abroad overseas foreign country travel
country nation border visa
hotel hostel motel guesthouse accommodation
beach mountain lake sightseeing travel
kitchen bathroom bedroom livingroom room house
rent renting tenant apartment
move moving relocate relocation
garage parking
engine brake clutch gearbox car vehicle
lamp light bulb lighting
dashboard warning fault car
umbrella rain shower wet
ice icy frost freezing snow
sun sunny sunshine solar
wind gust storm turbine
boiler radiator heating
washing dishwasher appliance household
colleague coworker employee staff
applied apply applicant application candidate
boss leave holiday vacation absence
owe owes owed unpaid overdue debt
refund reimburse reimbursement repay
money expense expenses reimbursement
paycheck salary payroll
declaration tax return
revenue tax
sign signing signature contract
sue sued lawsuit dispute court
compensation damages claim dispute
idea invention patent
protect protected protection guard
merchandise goods product
import imports customs duty
export exports customs
order purchase parcel delivery
arrive arrived arrival delivery
site website web
crash crashes crashing failing failed failure bug
reachable unreachable offline down downtime uptime outage
slow sluggish latency performance
trick scam fake phishing fraud
fake forged counterfeit fraud
stolen theft steal crime
rumour rumor gossip claim hoax
true truth fact verify evidence
tape cassette recording
buzz buzzing hum humming hiss noise
singing singer sung vocal vocals
painter paint painting picture
subject object foreground background
unrecognisable anonymous anonymise blur
mistake mistakes typo error grammar
gist essence summary digest
marks mark grade grading score
comments comment feedback
fractions fraction arithmetic mathematics
pupil schoolchild student
german french spanish italian english language
movie cinema film series
joke funny humour humor
rhyme verse poem
bride groom wedding
birthday anniversary gift
toy toys children play
`;
